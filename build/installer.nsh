; ONNX Runtime needs Microsoft's C++ runtime, which is not part of Windows: tell the user if it is missing.
!macro customInstall
  SetRegView 64
  ReadRegDWORD $0 HKLM "SOFTWARE\Microsoft\VisualStudio\14.0\VC\Runtimes\x64" "Installed"
  ${If} $0 != 1
    MessageBox MB_OK|MB_ICONINFORMATION "Hearsay's engines need the Microsoft Visual C++ runtime (x64), which is not installed here.$\r$\n$\r$\nGet it from https://aka.ms/vs/17/release/vc_redist.x64.exe and start Hearsay after that." /SD IDOK
  ${EndIf}
!macroend
