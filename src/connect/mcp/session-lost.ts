/** The connection has lost the session it was in; nothing was performed. */
export class SessionLost extends Error {}
