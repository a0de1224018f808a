/** Imports a package of this folder's, which may not be installed; typed by the caller, because its own types may be missing too. */
export async function load<T>(name: string): Promise<T> {
  return (await import(name)) as T
}
