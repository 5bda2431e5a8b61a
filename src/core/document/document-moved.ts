import { ServiceError } from '../../base/errors.ts';
import type { DocumentRef } from './document-ref.ts';

/** The requested document was renamed or moved to another owner, and the actor can read it. */
export class DocumentMoved extends ServiceError {
  /** The requested name. */
  readonly from: DocumentRef;
  /** The current name. */
  readonly to: DocumentRef;

  constructor(from: DocumentRef, to: Omit<DocumentRef, 'kind'>) {
    super('MOVED', `This ${from.kind} has moved to “${to.owner}/${to.name}”.`);
    this.from = from;
    this.to = { kind: from.kind, owner: to.owner, name: to.name };
  }
}
