await import('./decisions.test.ts')
