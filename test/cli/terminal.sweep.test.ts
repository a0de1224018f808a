// Every command in a terminal.
await import('./terminal.test.ts')
