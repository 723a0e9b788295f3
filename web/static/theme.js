// Before the first paint, so that a chosen theme never flashes into the other one.
try {
	const theme = localStorage.getItem('orihon.theme');
	if (theme) document.documentElement.dataset.theme = theme;
} catch {
	// Storage is off: the system's theme it is.
}
