// The other four fifths of the corpus.
await import('./vm-escapes.test.ts')
