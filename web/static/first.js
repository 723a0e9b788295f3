// Before the first paint, so that a chosen theme never flashes into the other one.
try {
	const theme = localStorage.getItem('orihon.theme');
	if (theme) document.documentElement.dataset.theme = theme;
} catch {
	// Storage is off: the system's theme it is.
}
// What every first view asks for is on its way while the program itself still is. The addresses are those of the program.
for (const address of ['auth/me', ...(location.pathname + location.search === '/' ? ['mangas?sort=updated&order=desc&limit=60&offset=0'] : [])]) {
	const link = document.createElement('link');
	Object.assign(link, { rel: 'preload', as: 'fetch', crossOrigin: 'anonymous', href: `/api/v1/${address}` });
	document.head.append(link);
}
