await import('./kept-values.test.ts')
