/** Every word that the interface says, in one place. */
const count = (n: number, one: string, many: string) => `${n.toLocaleString('en')} ${n === 1 ? one : many}`;

/** Many sites write the number into the title; it is not said twice. */
function chapterName(number: number | null, title: string | null): string {
	if (number === null) return title ?? 'Extra';
	if (!title) return `Chapter ${number}`;
	const said = title.match(/\d+(\.\d+)?/g)?.some((text) => Number(text) === number);
	return said ? title : `Chapter ${number}: ${title}`;
}

const postName = (_: number | null, title: string | null) => title ?? 'Untitled post';

const UNITS = [
	['week', 604_800],
	['day', 86_400],
	['hour', 3600],
	['minute', 60],
	['second', 1]
] as const;

/** "Every minute", "Every 90 seconds": in the largest unit that says it exactly; a day or a week only when it is one. */
function everySeconds(seconds: number): string {
	const [unit, size] = UNITS.find(([, size]) => seconds % size === 0) ?? UNITS[4];
	const n = seconds / size;
	return n === 1 ? `Every ${unit}` : `Every ${count(n, unit, `${unit}s`)}`;
}

export const en = {
	app: 'Orihon',
	skip: 'Skip to the content',
	nav: { library: 'Library', sources: 'Sources', main: 'Main', account: 'Account and settings', home: 'Orihon, to the library' },
	account: {
		signIn: 'Sign in',
		signOut: 'Sign out',
		signedIn: (name: string) => `Signed in as ${name}`,
		guest: 'You read as a guest. Your place in each chapter is kept in this browser.',
		theme: 'Colours',
		themes: { system: 'As the system', light: 'Light', dark: 'Dark' }
	},
	search: { label: 'Search the library', placeholder: 'Search titles and authors', clear: 'Clear the search', key: '/' },
	sort: {
		label: 'Sort by',
		updated: 'Latest update',
		created: 'Newest here',
		title: 'Title',
		author: 'Author',
		order: { asc: 'Ascending', desc: 'Descending' }
	},
	status: {
		label: 'Status',
		any: 'All',
		ongoing: 'Ongoing',
		completed: 'Completed',
		hiatus: 'On hiatus',
		cancelled: 'Cancelled'
	} as Record<string, string>,
	/** What the parts of a work are called, and what is said about them, by its kind. */
	work: {
		manga: {
			name: chapterName,
			short: (number: number | null, title: string | null) => (number === null ? (title ?? 'Extra') : `Chapter ${number}`),
			works: (n: number) => count(n, 'title', 'titles'),
			parts: (n: number) => count(n, 'chapter', 'chapters'),
			heading: 'Chapters',
			find: 'Find a chapter',
			none: 'The source lists no chapters for this title yet.',
			noneFound: 'No chapter matches.',
			facts: 'About this title',
			start: 'Start reading',
			back: 'Back to the title',
			previous: 'Previous chapter',
			next: 'Next chapter',
			loadingNext: 'Loading the next chapter',
			last: 'You are up to date. This is the newest chapter that is here.',
				waiting: 'This chapter is being fetched. It opens by itself as soon as it is here.',
			absent: 'This chapter has not been fetched yet.',
			failed: 'This chapter could not be fetched.',
			empty: 'This chapter has no pages.'
		},
		feed: {
			name: postName,
			short: postName,
			works: (n: number) => count(n, 'creator', 'creators'),
			parts: (n: number) => count(n, 'post', 'posts'),
			heading: 'Posts',
			find: 'Find a post',
			none: 'No post of this creator is here yet.',
			noneFound: 'No post matches.',
			facts: 'About this creator',
			start: 'Begin with the first post',
			back: 'Back to the creator',
			previous: 'Previous post',
			next: 'Next post',
			loadingNext: 'Loading the next post',
			last: 'You are up to date. This is the newest post that is here.',
			waiting: 'The images of this post are being fetched. They open by themselves as soon as they are here.',
			absent: 'The images of this post have not been fetched yet.',
			failed: 'The images of this post could not be fetched.',
			empty: 'There is nothing in this post.'
		}
	},
	post: {
		about: 'What the post says',
		textOnly: 'Text',
		tags: 'Tags',
		files: (n: number) => count(n, 'file', 'files'),
		save: (name: string) => `Save ${name}`,
		away: 'This file is not here.'
	},
	catalogue: {
		heading: 'Library',
		kind: 'What is shown',
		kinds: { manga: 'Titles', feed: 'Creators' },
		results: (q: string) => `Results for “${q}”`,
		continue: 'Continue reading',
		fresh: {
			manga: (n: number) => (n > 0 ? count(n, 'new title', 'new titles') : 'The library has changed'),
			feed: (n: number) => (n > 0 ? count(n, 'new creator', 'new creators') : 'The library has changed')
		},
		loading: 'Loading titles',
		next: (name: string) => `Next: ${name}`,
		upToDate: 'Read to the newest',
		emptyAdmin: {
			title: 'A library that fills itself',
			text: 'Add a source, a site that Orihon follows, and its titles appear here while you watch.',
			action: 'Add a source'
		},
		noCreator: {
			title: 'No creator is followed yet',
			text: 'Add somebody who posts as a source: each post comes in with its images, its text and its files.',
			action: 'Add a source'
		},
		filling: {
			title: 'The first titles are on their way',
			text: 'Orihon is looking through what it follows. They appear here by themselves.',
			action: 'Watch the sources'
		},
		fillingCreators: {
			title: 'The first posts are on their way',
			text: 'Orihon is looking through what it follows. Creators appear here by themselves.',
			action: 'Watch the sources'
		},
		stuck: {
			title: 'Nothing has come yet',
			text: 'What Orihon follows is paused or could not be read. The sources say why.',
			action: 'See the sources'
		},
		emptyUser: { title: 'Nothing here yet', text: 'As soon as whoever runs this library adds a source, its titles appear here.' },
		emptyGuest: {
			title: 'Nothing here yet',
			text: 'Whoever runs this library has not added a source. If that is you, sign in to add one.',
			action: 'Sign in'
		},
		noMatch: {
			title: { manga: 'No title matches', feed: 'No creator matches' },
			text: (q: string) =>
				`Nothing here is called anything like “${q}”, or is by somebody of that name. Fewer letters, or another spelling, may find it.`,
			otherwise: { manga: 'Look among the creators', feed: 'Look among the titles' },
			filter: 'No title in the library has this status.',
			action: 'Show everything'
		}
	},
	title: {
		by: (names: string) => `by ${names}`,
		artBy: (names: string) => `art by ${names}`,
		genres: 'Genres',
		tags: 'Tags',
		alt: 'Also known as',
		size: 'On disk',
		from: 'Followed at',
		direction: { ltr: 'Left to right', rtl: 'Right to left', vertical: 'As a tall strip' },
		resume: 'Continue reading',
		again: 'Read again',
		at: (name: string, page: number) => `${name}, page ${page}`,
		gone: 'No longer at the site',
		more: 'Show more',
		less: 'Show less',
		want: 'Keep this title',
		wanted: 'Kept',
		wantHint: 'All its chapters are fetched, and new ones as they appear.',
		unwantedHint: 'Its chapters are not fetched by themselves.'
	},
	chapters: {
		newestFirst: 'Newest first',
		oldestFirst: 'Oldest first',
		readCount: (read: number, of: number) => `${read.toLocaleString('en')} of ${of.toLocaleString('en')} read`
	},
	chapter: {
		pages: (n: number) => count(n, 'page', 'pages'),
		read: 'Read',
		at: (page: number, of: number) => `Page ${page} of ${of}`,
		absent: 'Not fetched yet',
		queued: 'On its way',
		failed: 'Could not be fetched',
		gone: 'No longer at the site',
		fetch: 'Fetch',
		fetchNamed: (name: string) => `Fetch ${name}`
	},
	reader: {
		label: (title: string) => `Reading ${title}`,
		settings: 'How to read',
		toSingle: 'Show single pages',
		toContinuous: 'Show as one continuous strip',
		fit: 'Fit',
		fits: { page: 'Whole page', width: 'Width', height: 'Height', original: 'Original size' },
		direction: 'Direction',
		gap: 'Gap between pages',
		gaps: { 0: 'None', 8: 'Small', 24: 'Medium', 64: 'Large' } as Record<number, string>,
		desk: 'Background',
		desks: { auto: 'Automatic', paper: 'Paper', grey: 'Grey', black: 'Black' },
		pause: 'Stop at the end of a chapter',
		fullscreen: 'Full screen',
		reset: 'Undo for this title',
		forTitle: 'Mode and direction are kept for this title, the rest for all on this device.',
		previousPage: 'Previous page',
		nextPage: 'Next page',
		pageOf: (page: number, of: number) => `Page ${page} / ${of}`,
		of: (page: number) => `${page} of`,
		spoken: (page: number, of: number) => `Page ${page} of ${of}`,
		pages: (n: number) => count(n, 'page', 'pages'),
		slider: 'Page',
		ways: 'Pages and chapters',
		finished: 'Finished',
		next: 'Next',
		start: 'Beginning of',
		read: 'Read on',
		damaged: 'This page is damaged.',
		failed: 'The page could not be loaded. The connection may be gone for a moment.',
		retry: 'Load it again',
		help: 'Keys',
		close: 'Close',
		keys: [
			['← →', 'Turn the page, the way the title reads; a strip scrolls'],
			['j k', 'Next and previous page'],
			['Space', 'Down the page or the strip, then on'],
			['Home End', 'First and last page'],
			['n p', 'Next and previous chapter'],
			['m', 'Single pages or one strip'],
			['f', 'Change the fit'],
			['c', 'Show or hide the controls'],
			['Esc', 'Back to the title or creator'],
			['?', 'These keys']
		] as const
	},
	signIn: {
		heading: 'Sign in',
		welcome: 'Your library, and your place in every chapter.',
		username: 'Name',
		password: 'Password',
		show: 'Show the password',
		hide: 'Hide the password',
		submit: 'Sign in',
		busy: 'Signing in',
		hint: 'The first start of Orihon printed a name and a password. Lost them? Run',
		command: 'orihon user password NAME'
	},
	sources: {
		heading: 'Sources',
		intro: 'What Orihon follows. It looks for news by itself and brings in what you want.',
		add: 'Add a source',
		edit: 'Edit',
		editNamed: (name: string) => `Edit ${name}`,
		remove: 'Remove',
		removeNamed: (name: string) => `Remove ${name}`,
		removeAsk: (name: string) => `Stop following ${name}?`,
		removeText: 'What it has brought stays in the library, with everybody’s reading progress. Nothing new will come unless it is followed again.',
		removed: {
			heading: (n: number) => (n ? `Removed sources (${n.toLocaleString('en')})` : 'Removed sources'),
			hint: 'Orihon still knows what came from these. Follow the same address again, and it goes on with the same titles.',
			empty: 'No removed source is remembered.',
			when: (ago: string) => `removed ${ago}`,
			forget: 'Forget',
			forgetNamed: (name: string) => `Forget ${name}`,
			ask: (name: string) => `Forget ${name} for good?`,
			goes: 'What came from it, its history, and what was deleted here of it are forgotten. This cannot be undone.',
			stays: 'Its titles stay in the library, with their files and everybody’s reading progress.',
			again: 'If its address is followed again, it begins anew: all of its titles come a second time, beside those that stayed, and so does what was deleted.',
			confirm: 'Forget for good'
		},
		run: 'Look now',
		asked: 'It looks as soon as a worker is free.',
		more: 'All about it',
		moreNamed: (name: string) => `All about ${name}`,
		open: 'Posts',
		openNamed: (name: string) => `See the posts of ${name}`,
		pause: 'Pause',
		resume: 'Resume',
		state: {
			walking: 'Looking for news',
			waiting: 'Following',
			partial: 'More to come',
			paused: 'Paused',
			stalled: 'Stalled',
			failing: 'Needs attention',
			fresh: 'Not looked at yet'
		},
		/** Instead of `walking`, for a walk over everything. */
		walking: { tick: 'Looking for news', backfill: 'Going through everything', recovery: 'Asking for all anew' },
		brings: 'Brings every post, with its images and files',
		fetches: { all: 'Fetches every chapter', wanted: 'Fetches the chapters of kept titles', on_open: 'Fetches a chapter when somebody opens it' },
		works: 'Titles',
		parts: { catalogue: 'Chapters here', work: 'Chapters here', feed: 'Posts here' },
		dead: 'Files given up',
		deadHint: 'Each was asked for in three looks and failed each time. “Ask for all anew” tries them once more.',
		of: (ready: number, all: number) => `${ready.toLocaleString('en')} of ${all.toLocaleString('en')}`,
		bytes: 'Fetched',
		budget: (used: string, most: string) => `${used} of ${most}`,
		next: (when: string) => `Looks again ${when === 'now' ? 'in a moment' : when}`,
		done: (done: number, total: number | null) => (total ? `${done} of ${total}` : `${done} so far`),
		unclean: 'The last look was cut short. The next one goes on from there, and nothing is lost.',
		ended: {
			end_of_list: 'Looked through everything',
			caught_up: 'Up to date',
			continued: 'Goes on in a moment',
			stopped: 'Stopped on the way; the next look goes on from there',
			limit: 'Stopped at the limit that was set',
			breaker: 'Stopped, because too many titles in a row failed',
			failed: 'The last look failed',
			stalled: 'Got nowhere, so it was paused',
			interrupted: 'Cut short; the next look goes on from there'
		} as Record<string, string>,
		found: (c: Record<string, number>, feed = false) => {
			const parts: (readonly [number | undefined, string, string])[] = [
				feed ? [c['discovered'], 'post looked at', 'posts looked at'] : [c['discovered'], 'title looked at', 'titles looked at'],
				[c['new'], 'new', 'new'],
				[c['updated'], 'changed', 'changed'],
				feed ? [c['media_new'], 'file brought', 'files brought'] : [c['chapters_new'], 'new chapter', 'new chapters'],
				feed ? [c['media_failed'], 'file failed', 'files failed'] : [c['failed'], 'failed', 'failed'],
				[c['media_dead'], 'given up before', 'given up before'],
				[c['media_refused'], 'too large', 'too large'],
				[c['dropped'], 'unreadable', 'unreadable']
			];
			return parts.flatMap(([n, one, many]) => (n ? [count(n, one, many)] : [])).join(' · ');
		},
		page: {
			all: 'All sources',
			again: 'Look again',
			times: (n: number, first: string) => `${n.toLocaleString('en')} times in a row, the first ${first}`,
			ways: {
				tick: ['Look for news', 'From the newest on, until it meets what is here. It does so by itself, too.'],
				backfill: ['Go through everything', 'The whole list, to its end. What is here is not fetched again.'],
				recovery: [
					'Ask for all anew',
					'The whole list, and every image and file that is not here whole is asked for again, also what was given up.'
				]
			},
			paused: 'It is paused. Resume it to have it look again.',
			givenUp: 'What was given up',
			history: 'What it did',
			none: 'It has not looked yet.',
			part: (n: number) => `part ${n.toLocaleString('en')}`,
			running: 'Under way',
			earlier: 'Show earlier ones',
			settings: 'As it is set up'
		},
		empty: {
			title: 'Nothing is followed yet',
			text: 'A source is a site that lists titles, or a creator who posts. Orihon looks there again and again, and brings what is new.',
			action: 'Add a source'
		},
		form: {
			addHeading: 'Add a source',
			editHeading: (name: string) => `Edit ${name}`,
			adapter: 'What do you want to follow?',
			url: { catalogue: 'Address of the list of titles', work: 'Address of the title', feed: 'Address of the creator' },
			urlExample: 'https://',
			urlMoves: 'Change this only when the site has moved: its titles and your place in them stay. For another site, add another source.',
			name: 'Name',
			nameHint: 'Empty: the name of the site.',
			everything: 'Every post is brought, with its images and its files. A budget below keeps it small.',
			more: 'More settings',
			between: (least: number, most: number) => `From ${least} to ${most}.`,
			profile: 'How the site is built',
			choose: 'Choose one',
			profileHint: 'A profile tells Orihon where a site has its titles, chapters and pages.',
			unknownHost: (host: string) =>
				`No profile is made for ${host}. If the site looks like one of these, choose that one and try it out. Otherwise write your own.`,
			own: 'A profile of my own',
			ownAbout: 'A short text that you write for this site. The page docs/site-profiles.md of the documentation shows how, step by step.',
			toml: 'Text of the profile (TOML)',
			content: 'Which chapters are fetched',
			contents: {
				wanted: ['Of kept titles', 'Those that somebody has marked to keep.'],
				all: ['All of them', 'Everything that the site has. Mind the space.'],
				on_open: ['Those that are opened', 'Each when a reader opens it.']
			} as Record<string, readonly [string, string]>,
			budget: 'Most to fetch, in megabytes',
			budgetHint: 'Empty: no limit.',
			interval: 'Look for news',
			every: everySeconds,
			check: 'Try it out',
			checking: 'Reading',
			save: 'Follow it',
			anyway: 'Follow it anyway',
			saveAnyway: 'Save it anyway',
			saveEdit: 'Save',
			cancel: 'Cancel'
		},
		check: {
			heading: 'What Orihon would read',
			listed: (n: number) => `${count(n, 'title', 'titles')} on the first page`,
			posts: (n: number) => `The newest ${count(n, 'post', 'posts')}`,
			media: (images: number, files: number) =>
				[images && count(images, 'image', 'images'), files && count(files, 'file', 'files')].filter(Boolean).join(', ') || 'text',
			pages: (n: number) => `${count(n, 'page', 'pages')} in one of them`,
			failed: {
				listing: 'The list of titles could not be read.',
				title: 'The list was read, but the first title on it was not.',
				pages: 'The list and a title were read, but the pages of a chapter were not.',
				creator: 'The creator could not be read.',
				posts: 'The creator was read, but the posts were not.'
			},
			nothing: 'The page was read, but no title was found on it.',
			means: {
				refused: 'Orihon would refuse this address at every look, and bring nothing.',
				unreachable: 'Orihon would follow an address that it does not reach: it would try again and again, and bring nothing.',
				unreadable: 'The profile does not seem to fit this page: Orihon would look again and again, and bring nothing or only a part.',
				unreadableFeed: 'This does not seem to be a creator’s feed: Orihon would look again and again, and bring nothing or only a part.'
			},
			advice: {
				refused: '',
				unreachable:
					'Open the address in a browser on the machine that runs Orihon. If it does not open there, correct it; if it does, the site may have been away for a moment: try again.',
				unreadableFeed: 'See whether this is the address that is asked for above.',
				unreadable: 'See whether this is the page that lists the titles, and choose another profile, or write one for this site (docs/site-profiles.md).'
			}
		}
	},
	jobs: {
		heading: 'Work under way',
		lanes: { crawl: 'Reading lists', content: 'Fetching', media: 'Checking images', maintenance: 'Housekeeping', feeds: 'Creators', analysis: 'Reading pages' } as Record<
			string,
			string
		>,
		idle: 'Nothing is waiting or running.',
		lane: 'Kind',
		waiting: 'Waiting',
		running: 'Running',
		dead: 'Given up',
		kinds: {
			walk_source: 'Look through a source',
			walk_feed: 'Look through a creator’s posts',
			sync_title: 'Read a title',
			fetch_chapter: 'Fetch a chapter',
			fetch_cover: 'Fetch a cover',
			check_medium: 'Check an image',
			page_refetch: 'Fetch a damaged page again'
		} as Record<string, string>,
		deadHeading: 'Given up',
		deadIntro: 'These were tried several times and failed each time. The reason stands beside them.',
		retryAll: 'Try all again',
		retry: 'Try again',
		requeued: (n: number) => `${count(n, 'job is', 'jobs are')} tried again.`
	},
	errors: {
		offline: 'The server does not answer.',
		reconnecting: 'The server does not answer. It may be restarting; this page goes on by itself.',
		unauthenticated: 'Sign in to see this.',
		forbidden: 'Only whoever runs this library may see this.',
		credentials: 'That name and password do not fit together.',
		rateLimited: (s: number) => `Too many tries. Wait ${count(s, 'second', 'seconds')} and try again.`,
		notFound: 'There is nothing at this address. It may have been removed.',
		unknown: 'Something went wrong at the server. Try again; if it stays, its log says why.',
		heading: 'That did not work',
		lost: 'Nothing here',
		retry: 'Try again',
		home: 'Go to the library'
	}
} as const;
