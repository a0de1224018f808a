// The other three quarters of the examples.
await import('./examples.test.ts')
