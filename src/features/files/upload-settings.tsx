import type { JSX } from 'preact';
import { formatSize } from '../../base/text/size.ts';
import type { AppPage } from '../../surfaces/web/pages/app-page.tsx';
import { dialogScreen } from '../../surfaces/web/pages/dialog-screen.tsx';
import { FileInput } from '../../surfaces/web/pages/form-field.tsx';
import { Day } from '../../surfaces/web/pages/format.tsx';
import { Icon } from '../../surfaces/web/pages/icons.tsx';
import { type Listed, Pager } from '../../surfaces/web/pages/pager.tsx';
import { ConfirmForm, FormActions } from '../../surfaces/web/pages/parts.tsx';
import { settingsPage, settingsPath } from '../../surfaces/web/pages/settings-page.tsx';
import { FILE_TYPES, type FileType } from './content-type.ts';

const TYPE_WORDS: Record<FileType, string> = {
  'image/jpeg': 'JPEG image',
  'image/png': 'PNG image',
  'image/gif': 'GIF image',
  'image/webp': 'WebP image',
  'application/pdf': 'PDF',
  'text/plain': 'Text',
  'text/markdown': 'Markdown',
};

export interface ListedFile {
  id: string;
  name: string;
  /** The file's address. Anyone who knows it can open the file. */
  url: string;
  contentType: FileType;
  sizeBytes: number;
  createdAt: string;
}

/**
 * Lists the user's files, with a form to upload more.
 *
 * @param faults why files were refused, one sentence each
 */
export function uploadsPage(list: Listed<ListedFile>, faults: readonly string[]): AppPage {
  return settingsPage(
    'uploads',
    <section aria-labelledby="uploads">
      <h2 id="uploads">Uploads</h2>
      <p class="aside">
        Images and other files for your documents. Anyone with a file’s link can open it. Links
        can’t be guessed.
      </p>
      <UploadForm faults={faults} />
      {list.items.length === 0 ? (
        <p>{list.page === 1 ? 'No uploads yet.' : 'No more files.'}</p>
      ) : (
        <ul class="items uploads" aria-label="Uploaded files">
          {list.items.map((file) => (
            <FileItem file={file} />
          ))}
        </ul>
      )}
      <Pager
        label="Result pages"
        list={list}
        path={(page) => `${settingsPath('uploads')}?page=${page}`}
      />
    </section>,
    { scripts: ['transfer.js'] },
  );
}

/** Asks for confirmation before a file is deleted. */
export function deleteFilePage({ id, name, sizeBytes }: ListedFile): AppPage {
  const title = `Delete ${name}?`;
  return dialogScreen({
    title,
    place: 'settings',
    children: (
      <>
        <p>
          This file ({formatSize(sizeBytes)}) will be deleted. Its link will stop working, and
          documents that embed it will show a broken image or link. This can’t be undone.
        </p>
        <ConfirmForm action={deletePath(id)} label="Delete file" back={settingsPath('uploads')} />
      </>
    ),
  });
}

function deletePath(id: string): string {
  return `${settingsPath('uploads')}/${id}/delete`;
}

function UploadForm({ faults }: { faults: readonly string[] }): JSX.Element {
  const isWrong = faults.length > 0;
  return (
    <form
      class="form drop-zone"
      method="post"
      action={settingsPath('uploads')}
      enctype="multipart/form-data"
      data-transfer="whole"
    >
      <div class="field">
        <label for="file">Files to upload</label>
        <FileInput
          id="file"
          name="file"
          label="Choose files"
          multiple
          required
          accept={Object.keys(FILE_TYPES).join(',')}
          aria-invalid={isWrong ? 'true' : undefined}
          aria-describedby={isWrong ? 'file-hint file-fault' : 'file-hint'}
        />
        <p class="hint" id="file-hint">
          JPEG, PNG, GIF, WebP, PDF, text or Markdown, 10 MB each.{' '}
          <span class="needs-script">Or drop them here.</span>
        </p>
        {isWrong && (
          <ul class="fault" id="file-fault" role="alert">
            {faults.map((fault) => (
              <li>{fault}</li>
            ))}
          </ul>
        )}
      </div>
      <FormActions label="Upload" />
    </form>
  );
}

function FileItem({ file }: { file: ListedFile }): JSX.Element {
  const { id, name, url, contentType, sizeBytes, createdAt } = file;
  return (
    <li class="item">
      {contentType.startsWith('image/') ? (
        <img class="thumbnail" src={url} alt="" width={40} height={40} loading="lazy" />
      ) : (
        <span class="thumbnail">
          <Icon name="file-text" />
        </span>
      )}
      <div class="item-main">
        <a class="item-title" href={url}>
          {name}
        </a>
        <p class="item-facts">
          <span>{TYPE_WORDS[contentType]}</span>
          <span>{formatSize(sizeBytes)}</span>
          <span>
            <Day at={createdAt} />
          </span>
        </p>
      </div>
      <div class="item-end">
        <button
          type="button"
          class="secondary small needs-script"
          data-action="copy-text"
          data-text={url}
        >
          <span class="label">Copy link</span>
          <span class="visually-hidden"> of {name}</span>
        </button>
        <a class="quiet small" href={deletePath(id)} aria-label={`Delete ${name}`} data-dialog>
          Delete
        </a>
      </div>
    </li>
  );
}
