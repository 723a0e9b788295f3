/** What the catalogue is asked for; it lives in the address. */
export type Sort = 'updated' | 'created' | 'title' | 'author';
export type Order = 'asc' | 'desc';

export const KINDS = ['manga', 'feed'] as const;
export type Kind = (typeof KINDS)[number];

export interface Query {
	kind: Kind;
	search: string;
	status: string;
	sort: Sort;
	order: Order;
}

export const SORTS: readonly Sort[] = ['updated', 'created', 'title', 'author'];
export const STATUSES = ['ongoing', 'completed', 'hiatus', 'cancelled'] as const;

/** Names from A, moments from now. */
export const naturalOrder = (sort: Sort): Order => (sort === 'title' || sort === 'author' ? 'asc' : 'desc');

export function queryOf(said: Pick<URLSearchParams, 'get'> = new URLSearchParams()): Query {
	const sort = SORTS.find((name) => name === said.get('sort')) ?? 'updated';
	const order = said.get('order');
	return {
		kind: KINDS.find((name) => name === said.get('kind')) ?? 'manga',
		search: said.get('q') ?? '',
		status: STATUSES.find((name) => name === said.get('status')) ?? '',
		sort,
		order: order === 'asc' || order === 'desc' ? order : naturalOrder(sort)
	};
}

/** The address of a query; what goes without saying is not said. */
export function addressOf(query: Query): string {
	const said = new URLSearchParams();
	if (query.kind !== 'manga') said.set('kind', query.kind);
	if (query.search) said.set('q', query.search);
	if (query.status) said.set('status', query.status);
	if (query.sort !== 'updated') said.set('sort', query.sort);
	if (query.order !== naturalOrder(query.sort)) said.set('order', query.order);
	return said.size > 0 ? `/?${said}` : '/';
}

export const same = (one: Query, other: Query): boolean => addressOf(one) === addressOf(other);
