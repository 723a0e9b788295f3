import adapter from '@sveltejs/adapter-static';
import { sveltekit } from '@sveltejs/kit/vite';
import { defineConfig } from 'vitest/config';

export default defineConfig({
	plugins: [
		sveltekit({
			adapter: adapter({ pages: 'build', fallback: 'index.html', precompress: true }),
			compilerOptions: { runes: true },
			// All of it is smaller than many a picture, and one request is sooner here than thirty in three rounds.
			output: { bundleStrategy: 'single' }
		})
	],
	server: { proxy: { '/api': 'http://127.0.0.1:8080' } },
	test: { include: ['src/**/*.test.ts'], css: true }
});
