/**
 * Takes the port that the frame beside comments sends before the page in it can run a script. This is a
 * classic script before the frame, because modules run too late.
 */
{
  const isFromFrame = ({ source, ports }: MessageEvent) => {
    const frame = document.querySelector<HTMLIFrameElement>('.page-frame');
    return source !== null && source === frame?.contentWindow && ports.length > 0;
  };
  window.reviewPort = new Promise((resolve) => {
    addEventListener('message', function take(event) {
      if (!isFromFrame(event)) return;
      removeEventListener('message', take);
      // Another one is the page's own, or that of a page that it became. Neither is trusted.
      resolve(event.ports[0] as MessagePort);
    });
  });
}
