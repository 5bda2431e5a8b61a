import { ServiceError } from '../errors.ts';
import type { DocumentRef } from './document-ref.ts';

/** The document that a request names was renamed, and whoever asks can read it. */
export class DocumentMoved extends ServiceError {
  /** As the request names it. */
  readonly from: DocumentRef;
  /** As it is named now. */
  readonly to: DocumentRef;

  constructor(from: DocumentRef, to: Omit<DocumentRef, 'kind'>) {
    super('MOVED', `This ${from.kind} has moved to “${to.owner}/${to.name}”.`);
    this.from = from;
    this.to = { kind: from.kind, owner: to.owner, name: to.name };
  }
}
