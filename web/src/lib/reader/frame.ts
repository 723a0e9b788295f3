/** Call `what` when the frame that is being made is on screen, so that it takes nothing from it. Returns how to stop that. */
export function afterFrame(what: () => void): () => void {
	let timer: ReturnType<typeof setTimeout> | undefined;
	const frame = requestAnimationFrame(() => (timer = setTimeout(what)));
	return () => {
		cancelAnimationFrame(frame);
		clearTimeout(timer);
	};
}
