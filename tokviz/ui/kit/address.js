// The address of one of the server's sockets, by its name: below the folder that the pages are in, as the files are.
export const socketAt = (name) => new URL(`./tokviz/${name}`, document.baseURI).href.replace(/^http/, "ws");
