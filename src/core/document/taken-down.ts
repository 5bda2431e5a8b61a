import { ServiceError } from '../../base/errors.ts';
import type { Kind } from '../../base/schema/kind.ts';

/**
 * An administrator of the instance took the document down. Only those who manage it get this error; for
 * everybody else it isn't there.
 */
export class TakenDown extends ServiceError {
  /** What the administrator gave as the reason. */
  readonly reason: string;

  constructor(document: { kind: Kind; takenDownReason: string | null }) {
    const { kind, takenDownReason: reason } = document;
    super(
      'TAKEN_DOWN',
      `An administrator of this instance took this ${kind} down. The reason: “${reason}”. ` +
        'It is hidden from everybody, and all you can do is delete it. Ask an administrator if ' +
        'you think that this is wrong.',
    );
    this.reason = reason ?? '';
  }
}
