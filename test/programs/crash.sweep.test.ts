await import('./crash.test.ts')
