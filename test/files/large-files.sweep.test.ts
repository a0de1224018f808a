// Large files in an encrypted store.
await import('./large-files.test.ts')
