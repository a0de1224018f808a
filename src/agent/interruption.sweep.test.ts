await import('./interruption.test.ts')
