// More secrets in streams that are cut anywhere.
await import('./corpus.test.ts')
