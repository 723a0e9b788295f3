/** One place that knows how the server is asked and how its errors look. */
import createClient from 'openapi-fetch';
import { connection } from '#lib/state/connection.svelte';
import type { paths } from './schema';

export class ApiError extends Error {
	constructor(
		/** HTTP status; 0 when there was no answer at all. */
		readonly status: number,
		readonly code: string,
		message: string,
		readonly details: Record<string, unknown> = {},
		/** Seconds the server asked us to wait. */
		readonly retryAfter = 0
	) {
		super(message);
	}
}

interface Envelope {
	error?: { code?: string; message?: string; details?: Record<string, unknown> | null };
}

export const client = createClient<paths>({ baseUrl: '/', fetch: (request) => reach(request) });

async function reach(request: Request): Promise<Response> {
	try {
		const answer = await fetch(request);
		connection.found();
		return answer;
	} catch (error) {
		if (request.signal.aborted) throw error;
		connection.lost();
		throw new ApiError(0, 'offline', '');
	}
}

/** The body of an answer, or the server's error as an `ApiError`. */
export async function body<T>(answer: Promise<{ data?: T; error?: unknown; response: Response }>): Promise<T> {
	const { data, error, response } = await answer;
	if (response.ok) return data as T;
	const told = (error as Envelope | undefined)?.error;
	throw new ApiError(
		response.status,
		told?.code ?? 'unknown',
		told?.message ?? '',
		told?.details ?? {},
		Number(response.headers.get('Retry-After') ?? 0)
	);
}
