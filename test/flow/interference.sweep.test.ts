// More pairs, and rules that are broken on purpose.
await import('./interference.test.ts')
