// More ways to answer.
await import('./processes.test.ts')
