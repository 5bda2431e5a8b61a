import { connectImport } from './import.ts';
import { connectUpload } from './upload.ts';

// Each of these finds its own form and does nothing on a page without it.
connectUpload();
connectImport();
