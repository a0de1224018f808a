await import('./scroll.test.ts')
