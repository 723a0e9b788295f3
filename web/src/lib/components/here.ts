/** For `aria-current`: whether an address is that of a way of the navigation, or lies below it. */
export function here(path: string, at: string): 'page' | undefined {
	return at === path || (path !== '/' && at.startsWith(`${path}/`)) ? 'page' : undefined;
}
