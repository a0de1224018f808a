// More generated programs.
await import('./differential.test.ts')
