/** Who is signed in. `undefined`: not known yet; null: a guest. */
import { auth, type User } from '#lib/api';
import { ApiError } from '#lib/api/client';

let user = $state<User | null | undefined>(undefined);
let asked: Promise<void> | undefined;

async function ask(): Promise<void> {
	try {
		user = await auth.me();
	} catch (error) {
		// A server that is away says nothing about who somebody is: that is asked again.
		if (error instanceof ApiError && error.status === 401) user = null;
		else asked = undefined;
	}
}

export const session = {
	get user(): User | null | undefined {
		return user;
	},
	get isAdmin(): boolean {
		return user?.is_admin ?? false;
	},
	/** Resolves when it is known who is signed in, or that this cannot be known now. */
	ready(): Promise<void> {
		return (asked ??= ask());
	},
	async signIn(username: string, password: string): Promise<void> {
		user = await auth.signIn(username, password);
	},
	async signOut(): Promise<void> {
		await auth.signOut();
		user = null;
	}
};
