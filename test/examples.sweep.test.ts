// Every other example.
await import('./examples.test.ts')
