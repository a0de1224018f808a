// The same with ten times as much to read.
await import('./scenario.test.ts')
