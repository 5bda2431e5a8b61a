/**
 * Takes the port that a frame beside comments sends before the page in it can run a script. This is a classic
 * script before the first frame, because modules would run too late.
 */
window.takeReviewPort = (frameOf) =>
  new Promise((resolve) => {
    addEventListener('message', function take({ source, ports: [port] }) {
      if (!port || source === null || source !== frameOf()?.contentWindow) return;
      // Any later port comes from the page, or from one that it navigated to. Neither is trusted.
      removeEventListener('message', take);
      resolve(port);
    });
  });
window.reviewPort = window.takeReviewPort(() => document.querySelector('.page-frame'));
