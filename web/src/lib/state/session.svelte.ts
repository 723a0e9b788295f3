/** Who is signed in. `undefined`: not known yet; null: a guest. */
import { auth, type User } from '$lib/api';
import { ApiError } from '$lib/api/client';
import { bookmarks } from './bookmarks.svelte';

let user = $state<User | null | undefined>(undefined);

export const session = {
	get user(): User | null | undefined {
		return user;
	},
	get isAdmin(): boolean {
		return user?.is_admin ?? false;
	},
	async load(): Promise<void> {
		try {
			user = await auth.me();
		} catch (error) {
			if (error instanceof ApiError && error.status === 401) user = null;
			else throw error;
		}
	},
	async signIn(username: string, password: string): Promise<void> {
		user = await auth.signIn(username, password);
		await bookmarks.handOver();
	},
	async signOut(): Promise<void> {
		await auth.signOut();
		user = null;
	}
};
