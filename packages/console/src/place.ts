/**
 * Where the console is, whatever path a proxy has put before it: this script is in the folder `assets` of the console.
 * As text first, so that the build does not take it for the address of a file.
 */
const here: string = import.meta.url;
const consoleUrl = new URL("../", here);

/** The path of the console, without a slash at its end. */
export const consolePath = consoleUrl.pathname.replace(/\/$/, "");

/** Where the API is, without a slash at its end. */
export const serverUrl = new URL("../", consoleUrl).href.replace(/\/$/, "");
