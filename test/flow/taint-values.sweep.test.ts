// The other three quarters of the corpus.
await import('./taint-values.test.ts')
