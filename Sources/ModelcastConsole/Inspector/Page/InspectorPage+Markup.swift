extension InspectorPage {
    /// The document, with places for its style, its scripts and a number.
    static let markup = #"""
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>Modelcast</title>
        <link rel="icon" id="icon" href="data:,">
        <style nonce="NONCE">STYLE</style>
        </head>
        <body>
        <a class="skip" href="#main" id="skip">Skip to the view</a>
        <header class="bar">
          <div class="brand">
            <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
              <circle cx="3" cy="8" r="2"/><circle cx="13" cy="3" r="2"/><circle cx="13" cy="13" r="2"/>
              <path d="M5 7.4 11 3.8M5 8.6l6 3.6"/>
            </svg>
            <span class="wordmark">Modelcast</span>
            <span class="process" id="process" data-test="process"></span>
          </div>
          <nav aria-label="Views"><div class="tabs" id="tabs" role="tablist"></div></nav>
          <div class="tools">
            <span class="contact" id="contact" data-test="contact" role="status"></span>
            <button type="button" class="icon" id="forget" hidden>Forget token</button>
            <button type="button" class="icon" id="theme" title="Light or dark (t)" aria-label="Light or dark">
              <svg viewBox="0 0 16 16" width="15" height="15" aria-hidden="true">
                <circle cx="8" cy="8" r="5.5"/><path class="full" d="M8 2.5a5.5 5.5 0 0 1 0 11z"/>
              </svg>
            </button>
            <button type="button" class="icon" id="help-open" title="Keys (?)" aria-label="Keys">?</button>
          </div>
        </header>
        <div class="gone" id="gone" data-test="gone" hidden>
          <span id="gone-text" role="alert"></span> <span id="gone-for" aria-hidden="true"></span>
        </div>
        <main id="main" role="tabpanel" tabindex="-1"></main>
        <dialog id="help" aria-labelledby="help-title">
          <h2 id="help-title">Keys</h2>
          <dl class="keys" id="keys"></dl>
          <label class="switch"><input type="checkbox" id="keys-on" data-test="keys-on"> These keys act; Esc and
            arrows always do</label>
          <p class="dim" id="about"></p>
          <button type="button" id="help-close">Close</button>
        </dialog>
        <noscript>This page needs scripts: it reads the process by its HTTP requests.</noscript>
        <script nonce="NONCE">SCRIPT</script>
        </body>
        </html>
        """#
}
