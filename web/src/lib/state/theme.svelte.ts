/** Light or dark: what the system says, until the person says otherwise. */
const KEY = 'orihon.theme';

type Theme = 'light' | 'dark';

const system = matchMedia('(prefers-color-scheme: dark)');
let chosen = $state<Theme | null>(stored());
let systemDark = $state(system.matches);
system.addEventListener('change', (event) => (systemDark = event.matches));

function stored(): Theme | null {
	const value = localStorage.getItem(KEY);
	return value === 'light' || value === 'dark' ? value : null;
}

export const theme = {
	get current(): Theme {
		return chosen ?? (systemDark ? 'dark' : 'light');
	},
	toggle(): void {
		chosen = this.current === 'dark' ? 'light' : 'dark';
		localStorage.setItem(KEY, chosen);
	}
};
