import type { IssuedTicket } from './ticket-service.ts';

/** Returns the result of a call that asked for an upload address. */
export function ticketAnswer({ url, expiresAt, maxBytes }: IssuedTicket) {
  return {
    summary:
      `Nothing is written yet. Upload the bytes with: curl -T FILE '${url}' — once, until ` +
      `${expiresAt}, ${maxBytes} bytes at most. The answer is JSON with the address of what you ` +
      'uploaded. After an error, try again, or call this tool for a new address. Anyone who has ' +
      'the address can use it.',
    data: { upload: { url, method: 'PUT', expiresAt, maxBytes } },
  };
}
