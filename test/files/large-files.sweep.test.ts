// Large files in an encrypted store.
import './large-files.test.ts'
