/** Every word that the interface says, in one place. */
export const en = {
	app: 'Orihon',
	skip: 'Skip to the content',
	nav: { library: 'Library', sources: 'Sources', signIn: 'Sign in', signOut: 'Sign out', main: 'Main' },
	theme: { toDark: 'Use dark colours', toLight: 'Use light colours' },
	search: { label: 'Search titles', placeholder: 'Search titles', clear: 'Clear the search' },
	sort: {
		label: 'Sort by',
		updated: 'Latest update',
		created: 'Newest in the library',
		title: 'Title',
		author: 'Author',
		order: { asc: 'Ascending', desc: 'Descending' }
	},
	status: {
		label: 'Status',
		any: 'Any status',
		ongoing: 'Ongoing',
		completed: 'Completed',
		hiatus: 'On hiatus',
		cancelled: 'Cancelled'
	},
	catalogue: {
		heading: 'Library',
		continue: 'Continue reading',
		titles: (n: number) => (n === 1 ? '1 title' : `${n.toLocaleString('en')} titles`),
		chapters: (n: number) => (n === 1 ? '1 chapter' : `${n.toLocaleString('en')} chapters`),
		news: 'There is news in the library. Show it',
		loading: 'Loading titles',
		end: 'That is everything.',
		noCover: 'No cover',
		emptyAdmin: {
			title: 'Nothing here yet',
			text: 'Orihon fills itself from what you follow. Add a source, and its titles appear here while you watch.',
			action: 'Add a source'
		},
		emptyGuest: {
			title: 'Nothing here yet',
			text: 'Whoever runs this library has not added a source. If that is you, sign in to add one.',
			action: 'Sign in'
		},
		noMatch: {
			title: 'No title matches',
			text: (q: string) => `Nothing is called anything like “${q}”. Try fewer or other words.`,
			filter: 'No title has this status. Choose another, or any.',
			action: 'Show everything'
		}
	},
	title: {
		by: 'by',
		art: 'Art',
		authors: 'Authors',
		status: 'Status',
		genres: 'Genres',
		tags: 'Tags',
		alt: 'Also known as',
		size: 'On disk',
		from: 'From',
		direction: { ltr: 'Left to right', rtl: 'Right to left', vertical: 'Vertical strip' },
		reads: 'Reads',
		start: 'Start reading',
		resume: (name: string, page: number) => `Continue: ${name}, page ${page}`,
		again: 'Read again',
		more: 'Show all of it',
		less: 'Show less',
		chapters: 'Chapters',
		newestFirst: 'Newest first',
		oldestFirst: 'Oldest first',
		noChapters: 'The site lists no chapters for this title.',
		want: 'Fetch its chapters',
		unwant: 'Stop fetching its chapters',
		wantHint: 'Chapters of wanted titles are fetched and kept.'
	},
	chapter: {
		name: (number: number | null, title: string | null) =>
			title ?? (number === null ? 'Extra' : `Chapter ${number}`),
		number: (n: number) => `Chapter ${n}`,
		pages: (n: number) => (n === 1 ? '1 page' : `${n} pages`),
		read: 'Read',
		at: (page: number, of: number) => `Page ${page} of ${of}`,
		absent: 'Not fetched yet',
		queued: 'On its way',
		failed: 'Could not be fetched',
		fetch: 'Fetch it',
		asked: 'Asked for'
	},
	reader: {
		back: 'Back to the title',
		settings: 'Reading settings',
		mode: 'Mode',
		single: 'Single pages',
		continuous: 'Continuous',
		fit: 'Fit',
		fits: { width: 'Width', height: 'Height', original: 'Original size' },
		direction: 'Direction',
		gap: 'Gap between pages',
		gaps: { 0: 'None', 8: 'Small', 24: 'Large' } as Record<number, string>,
		previousPage: 'Previous page',
		nextPage: 'Next page',
		previousChapter: 'Previous chapter',
		nextChapter: 'Next chapter',
		pageOf: (page: number, of: number) => `Page ${page} / ${of}`,
		pages: (n: number) => (n === 1 ? '1 page' : `${n} pages`),
		slider: 'Page',
		end: 'End of the chapter',
		last: 'This is the latest chapter that is here.',
		next: (name: string) => `Next: ${name}`,
		damaged: 'This page is damaged',
		failed: 'The page could not be loaded.',
		retry: 'Load it again',
		waiting: 'This chapter is being fetched. It opens by itself when it is here.',
		absent: 'This chapter has not been fetched.',
		failedChapter: 'This chapter could not be fetched.',
		help: 'Keys',
		close: 'Close',
		keys: [
			['← →', 'Turn the page (the way the title reads)'],
			['j k', 'Next and previous page'],
			['Space', 'Next page'],
			['Home End', 'First and last page'],
			['n p', 'Next and previous chapter'],
			['m', 'Single pages or continuous'],
			['f', 'Change the fit'],
			['Esc', 'Back to the title'],
			['?', 'Show these keys']
		] as const
	},
	signIn: {
		heading: 'Sign in',
		username: 'Name',
		password: 'Password',
		submit: 'Sign in',
		hint: 'The first start of Orihon printed a name and a password. Lost them? Run `orihon user password`.'
	},
	sources: {
		heading: 'Sources',
		intro: 'A source is a site that Orihon follows. It brings new chapters by itself.',
		add: 'Add a source',
		edit: 'Edit',
		remove: 'Stop following',
		removeSure: (name: string) =>
			`Stop following “${name}”? What it has brought stays in the library; nothing new will come.`,
		run: 'Look now',
		pause: 'Pause',
		resume: 'Resume',
		paused: 'Paused',
		asked: 'Asked; it starts in a moment.',
		counts: (works: number, ready: number, chapters: number) =>
			`${works.toLocaleString('en')} titles, ${ready.toLocaleString('en')} of ${chapters.toLocaleString('en')} chapters here`,
		next: (when: string) => `Looks again ${when}`,
		never: 'Has not looked yet.',
		walking: 'Looking through the site',
		ended: {
			end_of_list: 'Looked through everything',
			caught_up: 'Up to date',
			continued: 'Goes on in a moment',
			stopped: 'Paused in the middle; it goes on from there',
			limit: 'Stopped at the limit that was set',
			breaker: 'Stopped: too many titles in a row failed',
			failed: 'Failed',
			interrupted: 'Interrupted; the next walk goes on from there'
		} as Record<string, string>,
		walkCounts: (c: Record<string, number>) => {
			const parts = [`${c['discovered'] ?? 0} titles seen`];
			if (c['new']) parts.push(`${c['new']} new`);
			if (c['updated']) parts.push(`${c['updated']} changed`);
			if (c['chapters_new']) parts.push(`${c['chapters_new']} new chapters`);
			if (c['failed']) parts.push(`${c['failed']} failed`);
			return parts.join(', ');
		},
		empty: {
			title: 'Nothing is followed yet',
			text: 'Add the address of a site’s list of titles. A profile tells Orihon how that site is built.',
			action: 'Add a source'
		},
		form: {
			url: 'Address of the list of titles',
			name: 'Name (optional)',
			profile: 'Site profile',
			own: 'My own (TOML)',
			toml: 'Profile text',
			content: 'Which chapters are fetched',
			contents: {
				wanted: 'Only those of titles that somebody wants',
				all: 'All of them',
				on_open: 'Each when somebody opens it'
			},
			budget: 'Most megabytes it may fetch (empty: no limit)',
			interval: 'Look for news every',
			intervals: { 600: '10 minutes', 3600: 'hour', 21600: '6 hours', 86400: 'day', 604800: 'week' } as Record<
				number,
				string
			>,
			check: 'Check first',
			checking: 'Reading the site',
			save: 'Follow it',
			saveEdit: 'Save',
			cancel: 'Cancel'
		},
		check: {
			heading: 'What would be read',
			listed: (n: number) => `${n} titles on the first page`,
			chapters: (n: number) => `${n} chapters`,
			pages: (n: number) => `${n} pages in the first of them`,
			fine: 'This looks right.'
		}
	},
	jobs: {
		heading: 'Work under way',
		lanes: { crawl: 'Fetching', media: 'Checking images', maintenance: 'Housekeeping' } as Record<string, string>,
		waiting: 'Waiting',
		running: 'Running',
		dead: 'Given up',
		idle: 'Nothing to do.',
		deadHeading: 'Given up',
		deadIntro: 'These were tried several times and failed each time.',
		retryAll: 'Try all again',
		retry: 'Try again',
		requeued: (n: number) => (n === 1 ? '1 job is tried again.' : `${n} jobs are tried again.`)
	},
	errors: {
		offline: 'The server does not answer. It may be restarting; this page tries again by itself.',
		unauthenticated: 'Sign in to see this.',
		credentials: 'That name and password do not fit together.',
		rateLimited: (s: number) => `Too many tries. Wait ${s} ${s === 1 ? 'second' : 'seconds'} and try again.`,
		notFound: 'There is nothing at this address. It may have been removed.',
		unknown: 'Something went wrong at the server. Try again; if it stays, look into its log.',
		retry: 'Try again',
		home: 'Go to the library'
	}
} as const;
