/** The server has lost the session; nothing was executed. */
export class SessionLost extends Error {}
