/**
 * Takes the port that the frame beside comments sends before the page in it can run a script. This
 * is a classic script before the frame, because modules would run too late.
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
      // Any later port comes from the page, or from one that it navigated to. Neither is trusted.
      resolve(event.ports[0] as MessagePort);
    });
  });
}
