// That generated programs have everything that the language has.
await import('./productions.test.ts')
