// The other kinds of programs.
await import('./size.test.ts')
