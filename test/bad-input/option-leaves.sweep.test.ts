// The takers of options that the short suite leaves out.
await import('./option-leaves.test.ts')
