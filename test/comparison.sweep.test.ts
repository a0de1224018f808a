// The programs of the other libraries.
await import('./comparison.test.ts')
