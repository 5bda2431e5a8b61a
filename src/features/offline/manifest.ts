import type { AssetName, Site } from '../../surfaces/web/pages/assets.ts';

/** Writes the description of the installed app (W3C Web Application Manifest). */
export function writeManifest({ assets }: Site): string {
  const icon = (name: AssetName, size: number, purpose = 'any') => ({
    src: assets.url(name),
    sizes: `${size}x${size}`,
    type: 'image/png',
    purpose,
  });
  return JSON.stringify({
    id: '/',
    name: 'Briefs',
    short_name: 'Briefs',
    description: 'Documents that agents write and people review.',
    start_url: '/',
    scope: '/',
    display: 'standalone',
    theme_color: '#fdfcfa',
    background_color: '#fdfcfa',
    icons: [
      icon('icon-192.png', 192),
      icon('icon-512.png', 512),
      icon('icon-maskable.png', 512, 'maskable'),
    ],
    shortcuts: [
      { name: 'New brief', short_name: 'New', url: '/new' },
      { name: 'Search', url: '/search' },
    ],
  });
}
