/** Light or dark: what the system says, until the person says otherwise. `static/first.js` applies it before the first paint. */
const KEY = 'orihon.theme';
const THEMES = ['system', 'light', 'dark'] as const;

export type Theme = (typeof THEMES)[number];

let chosen = $state<Theme>((document.documentElement.dataset['theme'] as Theme | undefined) ?? 'system');

export const theme = {
	all: THEMES,
	get chosen(): Theme {
		return chosen;
	},
	choose(theme: Theme): void {
		chosen = theme;
		try {
			if (theme === 'system') localStorage.removeItem(KEY);
			else localStorage.setItem(KEY, theme);
		} catch {
			// Storage is off: it holds for this visit.
		}
		if (theme === 'system') delete document.documentElement.dataset['theme'];
		else document.documentElement.dataset['theme'] = theme;
	}
};
